// SPDX-License-Identifier: Apache-2.0
// `vkrace instrument` alone, for the tests: needs no driver and no layer.
#include "instrument_main.h"

int main(int argc, char **argv)
{
	return vkr_instrument_main(argc, argv);
}

// SPDX-License-Identifier: Apache-2.0
// `vkrace-litmus FILE...`: `vkrace litmus` alone, for the tests. Knows no more than its name.
#include "litmus_main.h"

int main(int argc, char **argv)
{
	return vkr_litmus_main(argc, argv);
}

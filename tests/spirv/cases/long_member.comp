#version 450
// The path of a member has any length: it names what races.
layout(local_size_x = 8) in;

struct Inner {
	uint a_member_whose_name_says_all_that_there_is_to_say_about_what_it_holds_and_then_some_3;
};
struct Middle {
	uint before;
	Inner a_member_whose_name_says_all_that_there_is_to_say_about_what_it_holds_and_then_some_2[2];
};
struct Outer {
	Middle a_member_whose_name_says_all_that_there_is_to_say_about_what_it_holds_and_then_some_1[4];
};
layout(std430, set = 0, binding = 0) buffer Long {
	Outer a_member_whose_name_says_all_that_there_is_to_say_about_what_it_holds_and_then_some_0[];
} data;

void main()
{
	data.a_member_whose_name_says_all_that_there_is_to_say_about_what_it_holds_and_then_some_0[gl_GlobalInvocationID.x].a_member_whose_name_says_all_that_there_is_to_say_about_what_it_holds_and_then_some_1[3].a_member_whose_name_says_all_that_there_is_to_say_about_what_it_holds_and_then_some_2[1].a_member_whose_name_says_all_that_there_is_to_say_about_what_it_holds_and_then_some_3 = 1;
}

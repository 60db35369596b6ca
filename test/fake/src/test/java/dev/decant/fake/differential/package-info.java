/** The fake cluster against a real one: the same requests have to give the same responses. */
@NullMarked
package dev.decant.fake.differential;

import org.jspecify.annotations.NullMarked;

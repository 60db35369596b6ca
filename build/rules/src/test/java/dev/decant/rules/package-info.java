/** Rules about the compiled classes of every module that we ship. */
@NullMarked
package dev.decant.rules;

import org.jspecify.annotations.NullMarked;

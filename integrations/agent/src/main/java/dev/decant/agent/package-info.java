/** Puts Decant's clients in the place of Apache's while classes are loaded. */
@NullMarked
package dev.decant.agent;

import org.jspecify.annotations.NullMarked;

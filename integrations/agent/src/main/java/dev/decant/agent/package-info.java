/** Replaces Apache's clients by Decant's while classes are loaded. */
@NullMarked
package dev.decant.agent;

import org.jspecify.annotations.NullMarked;

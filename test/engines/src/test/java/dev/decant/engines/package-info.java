/** Engines of others that run on Apache's clients and on Decant's, with equal results. */
@NullMarked
package dev.decant.engines;

import org.jspecify.annotations.NullMarked;

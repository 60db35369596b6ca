/** The requests that have come. Owner of the loop only. */
@NullMarked
package dev.decant.fake.journal;

import org.jspecify.annotations.NullMarked;

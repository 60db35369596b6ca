/** The received requests. Owner of the loop only. */
@NullMarked
package dev.decant.fake.journal;

import org.jspecify.annotations.NullMarked;

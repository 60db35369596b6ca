/** The handlers of each API's requests. Owner of the loop only. */
@NullMarked
package dev.decant.fake.api;

import org.jspecify.annotations.NullMarked;

/** Rules that disturb chosen requests. Owner of the loop only. */
@NullMarked
package dev.decant.fake.fault;

import org.jspecify.annotations.NullMarked;

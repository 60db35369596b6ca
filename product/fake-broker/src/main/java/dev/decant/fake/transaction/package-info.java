/** The transaction coordinators, and their APIs. */
@NullMarked
package dev.decant.fake.transaction;

import org.jspecify.annotations.NullMarked;

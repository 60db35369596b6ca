/** What brokers do with the requests of each API. Owner of the loop only. */
@NullMarked
package dev.decant.fake.api;

import org.jspecify.annotations.NullMarked;

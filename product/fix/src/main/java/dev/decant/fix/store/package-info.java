/**
 * Stores for the sequence numbers and sent messages of sessions.
 *
 * <p>On Java 22 and newer, a closed store frees its memory and mappings at once. On Java 21, the garbage collector
 * frees them. Up to 256 MiB of closed stores may wait for it, or as much as open stores hold; beyond that, the store
 * requests a collection.
 */
@NullMarked
package dev.decant.fix.store;

import org.jspecify.annotations.NullMarked;

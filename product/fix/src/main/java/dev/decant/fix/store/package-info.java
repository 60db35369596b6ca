/**
 * Where sessions keep their sequence numbers and sent messages.
 *
 * <p>On Java 22 and newer, a store that is closed gives its memory and mappings back at once. On Java 21 the garbage
 * collector does that. Up to 256 MiB of closed stores may wait for it, or as much as open stores hold; beyond that, a
 * collection is requested.
 */
@NullMarked
package dev.decant.fix.store;

import org.jspecify.annotations.NullMarked;

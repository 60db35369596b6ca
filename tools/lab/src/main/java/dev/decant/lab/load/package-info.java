/**
 * The load generator of {@code decant carriers}: HTTP/1.1 over persistent connections, on one thread of its own JVM.
 */
@NullMarked
package dev.decant.lab.load;

import org.jspecify.annotations.NullMarked;

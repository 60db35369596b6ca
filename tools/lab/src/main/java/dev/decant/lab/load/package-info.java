/** The load generator of {@code decant carriers}: HTTP/1.1 over kept connections, on one thread of a JVM of its own. */
@NullMarked
package dev.decant.lab.load;

import org.jspecify.annotations.NullMarked;

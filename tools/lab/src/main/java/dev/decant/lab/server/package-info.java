/** The HTTP servers that {@code decant carriers} compares. Each runs in its own JVM. */
@NullMarked
package dev.decant.lab.server;

import org.jspecify.annotations.NullMarked;

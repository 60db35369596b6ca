/** The HTTP servers that {@code decant carriers} compares. Each runs in a JVM of its own. */
@NullMarked
package dev.decant.lab.server;

import org.jspecify.annotations.NullMarked;

/** Login libraries of clouds behind Apache's interfaces, each against an endpoint of the test's. */
@NullMarked
package dev.decant.clouds;

import org.jspecify.annotations.NullMarked;

/** How many carrier threads, which pollers, which priority: HTTP servers on virtual threads beside NIO ones. */
@NullMarked
package dev.decant.lab.carriers;

import org.jspecify.annotations.NullMarked;

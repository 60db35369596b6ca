/** Two clients, versions or settings side by side: the difference, and whether it is significant. */
@NullMarked
package dev.decant.lab.compare;

import org.jspecify.annotations.NullMarked;

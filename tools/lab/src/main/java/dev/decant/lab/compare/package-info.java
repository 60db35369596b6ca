/** Two clients, versions or settings side by side: what the difference is, and whether it is one. */
@NullMarked
package dev.decant.lab.compare;

import org.jspecify.annotations.NullMarked;

/** The progress of a run: the events that a run reports, and the page that shows them. */
@NullMarked
package dev.decant.lab.live;

import org.jspecify.annotations.NullMarked;

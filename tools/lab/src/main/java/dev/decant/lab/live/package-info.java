/** How a run goes, while it goes: what runs tell, and the page that shows it. */
@NullMarked
package dev.decant.lab.live;

import org.jspecify.annotations.NullMarked;

/** Events that cost nothing while nobody listens. */
@NullMarked
package dev.decant.event;

import org.jspecify.annotations.NullMarked;

/** How the client fires its events, counts, and remembers its last errors. Not exported. */
@NullMarked
package dev.decant.kafka.telemetry;

import org.jspecify.annotations.NullMarked;

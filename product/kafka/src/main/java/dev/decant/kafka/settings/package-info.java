/** Kafka's setting names, what Decant does with each, and problems of settings in one error. Not exported. */
@NullMarked
package dev.decant.kafka.settings;

import org.jspecify.annotations.NullMarked;

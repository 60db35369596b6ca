/**
 * Kafka's setting names, Decant's treatment of each, and all problems of settings in one error. Exported only to {@code
 * dev.decant.kafka.apache}.
 */
@NullMarked
package dev.decant.kafka.settings;

import org.jspecify.annotations.NullMarked;

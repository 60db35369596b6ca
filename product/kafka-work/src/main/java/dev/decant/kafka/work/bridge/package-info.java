/** The Kafka client as parallel work uses it. A module that bridges to another client implements these interfaces. */
@NullMarked
package dev.decant.kafka.work.bridge;

import org.jspecify.annotations.NullMarked;

/** What parallel work needs of a Kafka client: implemented for Decant's own, and by modules that bridge to others. */
@NullMarked
package dev.decant.kafka.work.bridge;

import org.jspecify.annotations.NullMarked;

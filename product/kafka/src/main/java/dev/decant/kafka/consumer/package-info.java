/** The consumer: fetch sessions, prefetched responses, record views. */
@NullMarked
package dev.decant.kafka.consumer;

import org.jspecify.annotations.NullMarked;

/** Factories that give Spring Kafka's templates and listener containers Decant's clients. */
@NullMarked
package dev.decant.spring.kafka;

import org.jspecify.annotations.NullMarked;

/**
 * Client metrics that brokers ask for and that are pushed to them (KIP-714): subscription, OTLP encoding, push. Not
 * exported.
 */
@NullMarked
package dev.decant.kafka.clientmetrics;

import org.jspecify.annotations.NullMarked;

/**
 * A Kafka client's metrics, and the trace context of a record in its headers. Metrics have the names of OpenTelemetry's
 * semantic conventions for messaging where these exist.
 */
@NullMarked
package dev.decant.opentelemetry;

import org.jspecify.annotations.NullMarked;

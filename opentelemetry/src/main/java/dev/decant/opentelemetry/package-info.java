/**
 * A Kafka client's metrics, named by OpenTelemetry's semantic conventions for messaging where these have a name, and
 * the trace context of a record in its headers.
 */
@NullMarked
package dev.decant.opentelemetry;

import org.jspecify.annotations.NullMarked;

package dev.decant.kafka.event;

/**
 * An error that was.
 *
 * @param epochMillis when
 * @param kind what
 * @param where broker, or topic and partition
 * @param message the cause, in words
 */
public record ErrorReport(long epochMillis, ErrorKind kind, String where, String message) {}

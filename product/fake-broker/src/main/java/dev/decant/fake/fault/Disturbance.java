package dev.decant.fake.fault;

import dev.decant.kafka.protocol.ErrorCode;

/**
 * The effect of a fault on a request and its response.
 *
 * @param kind the kind of effect
 * @param error error of the response, for {@link Kind#REFUSE}
 * @param millis duration, for {@link Kind#DELAY}, {@link Kind#LATE} and {@link Kind#THROTTLE}
 */
public record Disturbance(Kind kind, ErrorCode error, int millis) {

  /** No effect. */
  public static final Disturbance NONE = of(Kind.NONE);

  /** The kinds of effects. */
  public enum Kind {
    /** The request is served without a fault. */
    NONE,
    /** The request is not applied, and the response has an error. */
    REFUSE,
    /** The request is applied after a time. */
    DELAY,
    /** The request is applied at once, and the response comes after a time. */
    LATE,
    /** The connection is closed, and the request is not applied. */
    CLOSE_BEFORE,
    /** The request is applied, and the connection is closed without a response. */
    CLOSE_AFTER,
    /** The request is applied, and no response comes; the connection stays open. */
    NEVER_ANSWER,
    /** The request is applied, and a part of the response's bytes is wrong. */
    DAMAGE,
    /** The request is applied, and the response comes twice. */
    TWICE,
    /** The request is applied, and the second half of the response comes a little later. */
    TWO_PIECES,
    /** The request is applied, and the response asks the client to send nothing for a time. */
    THROTTLE
  }

  /** Returns a disturbance that needs neither error nor time. */
  public static Disturbance of(Kind kind) {
    return new Disturbance(kind, ErrorCode.NONE, 0);
  }
}

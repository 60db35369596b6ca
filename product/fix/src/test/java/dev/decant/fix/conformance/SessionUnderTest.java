package dev.decant.fix.conformance;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A session that a script is played against. The script controls its time and its connections. The session is {@link
 * #OURS}, its counterparty {@link #THEIRS}.
 */
interface SessionUnderTest {
  /** SenderCompID(49) of the session's messages. */
  String OURS = "SELLER";
  /** SenderCompID(49) of the counterparty's messages. */
  String THEIRS = "BUYER";

  /** Makes sessions. */
  interface Factory {
    /**
     * Makes a session that is not connected, with numbers that begin with 1.
     *
     * @throws IllegalArgumentException if there is no such setting
     */
    SessionUnderTest open(Version version, boolean initiator, Map<String, String> settings);
  }

  /** A connection of the session. */
  interface Link {
    /** The counterparty has sent bytes. */
    void receive(byte[] bytes);

    /** All that the session has sent since the last call. */
    byte[] takeSent();

    /** Whether the session has closed the connection. */
    boolean isClosed();

    /** The counterparty drops the connection. */
    void drop();
  }

  /** A connection is there. */
  Link connect();

  /** Time passes; what is due meanwhile is done at its time. */
  void advance(Duration duration);

  /** The time that the session has for now, in nanoseconds since the epoch. */
  long epochNanos();

  /** The application sends a message; returns whether it was taken. */
  boolean send(String msgType, byte[] body);

  /** The messages that the application was given since the last call. */
  List<byte[]> takeDelivered();

  /** The application logs out. */
  void logout(String text);

  /** An operator wants numbers to begin with 1, which ends the connection. */
  void resetNumbers();

  /** An operator wants numbers to begin with 1, and the session to stay logged on. */
  void resetWithoutLogout();

  /** What the last reset without a logout has come to: {@code done}, why it has failed, or empty for nothing yet. */
  String resetOutcome();

  /** The number of the next message to be sent. */
  long nextOutbound();

  /** The number of the next message expected. */
  long nextInbound();

  /** An operator sets the next numbers. */
  void setNumbers(long outbound, long inbound);

  /** From now on the application takes no messages of this type. */
  void doNotSupport(String msgType);

  /** From now on logons are refused; accepted again if the reason is empty. */
  void refuseLogons(String reason);

  /** From now on messages with this field are not sent again. */
  void keepBack(int tag, String value);

  /** Whether the store refuses changes, from now on. */
  void storeRefuses(boolean value);
}

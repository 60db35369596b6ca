package dev.decant.fix.conformance;

import java.time.Duration;
import java.util.List;

/**
 * One line of a script, for one version.
 *
 * @param line its number, from 1
 * @param connection the connection it is about, from 1
 * @param verb what happens, or is expected
 * @param fields of the verbs that have a message
 * @param text of the verbs that have other words
 * @param duration of {@link Verb#ADVANCE}
 */
record Step(int line, int connection, Verb verb, List<Field> fields, String text, Duration duration) {
  /** What a line begins with. */
  enum Verb {
    /** {@code connect}: a connection is there. */
    CONNECT("connect"),
    /** {@code disconnect}: the counterparty drops the connection. */
    DISCONNECT("disconnect"),
    /** {@code > fields}: the counterparty sends a message; the fields of each message that are absent are filled in. */
    RECEIVE(">"),
    /** {@code raw bytes}: the counterparty sends these bytes, {@code |} for SOH. */
    RECEIVE_RAW("raw"),
    /** {@code < fields}: the session has sent a message with these fields, and perhaps others. */
    SENT("<"),
    /** {@code <? fields}: the same, or nothing. */
    MAY_HAVE_SENT("<?"),
    /** {@code <! fields}: the session has sent a message with these fields, and no others but those of each message. */
    SENT_EXACTLY("<!"),
    /** {@code closed}: the session has closed the connection. */
    CLOSED("closed"),
    /** {@code open}: it has not. */
    OPEN("open"),
    /** {@code +30s}: time passes. */
    ADVANCE("+"),
    /** {@code send fields}: the application sends a message, which is taken. */
    SEND("send"),
    /** {@code cannot-send fields}: the application wants to send a message, which is refused. */
    CANNOT_SEND("cannot-send"),
    /** {@code app fields}: the application was given a message with these fields. */
    DELIVERED("app"),
    /** {@code logout text}: the application logs out. */
    LOGOUT("logout"),
    /** {@code reset}: an operator wants numbers to begin with 1, which ends the connection. */
    RESET("reset"),
    /** {@code reset-without-logout}: an operator wants numbers to begin with 1, and the session to stay logged on. */
    RESET_WITHOUT_LOGOUT("reset-without-logout"),
    /** {@code reset-outcome text}: what that has come to begins with the text; {@code none} for nothing yet. */
    RESET_OUTCOME("reset-outcome"),
    /** {@code set-numbers out=1 in=1}: an operator sets the next numbers. */
    SET_NUMBERS("set-numbers"),
    /** {@code numbers out=1 in=1}: the next numbers are these. */
    NUMBERS("numbers"),
    /** {@code unsupported T}: from now on the application takes no messages of this type. */
    UNSUPPORTED("unsupported"),
    /** {@code refuse-logon text}: from now on logons are refused. */
    REFUSE_LOGON("refuse-logon"),
    /** {@code keep-back fields}: from now on messages with this field are not sent again. */
    KEEP_BACK("keep-back"),
    /** {@code store-refuses}: from now on the store takes nothing, as on a full disk. */
    STORE_REFUSES("store-refuses"),
    /** {@code store-takes}: it takes changes again. */
    STORE_TAKES("store-takes");

    final String word;

    Verb(String word) {
      this.word = word;
    }

    boolean hasFields() {
      return switch (this) {
        case RECEIVE, SENT, MAY_HAVE_SENT, SENT_EXACTLY, SEND, CANNOT_SEND, DELIVERED, KEEP_BACK -> true;
        default -> false;
      };
    }

    boolean hasText() {
      return switch (this) {
        case RECEIVE_RAW, LOGOUT, RESET_OUTCOME, SET_NUMBERS, NUMBERS, UNSUPPORTED, REFUSE_LOGON -> true;
        default -> false;
      };
    }
  }

  /** As in the script. */
  @Override
  public String toString() {
    StringBuilder words = new StringBuilder(connection == 1 ? "" : connection + ": ").append(verb.word);
    fields.forEach(field -> words.append(' ').append(field));
    return words.append(text.isEmpty() ? "" : " " + text).append(verb == Verb.ADVANCE ? duration : "").toString();
  }
}

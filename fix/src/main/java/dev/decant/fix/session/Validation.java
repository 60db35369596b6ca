package dev.decant.fix.session;

import dev.decant.fix.message.MessageView;

/** What a session asks about a message before it looks at it: whether a dictionary finds it valid. */
public interface Validation {
  /** Of {@link #validate}: nothing is wrong. */
  int VALID = -1;
  /** Of {@link #validate}: the specification has the type, but the application takes no such messages. */
  int UNSUPPORTED_MSG_TYPE = -2;

  /**
   * Looks at a message.
   *
   * @param message well-formed
   * @return {@link #VALID}, {@link #UNSUPPORTED_MSG_TYPE}, or a value of SessionRejectReason(373)
   */
  int validate(MessageView message);

  /**
   * The field that the last message failed for.
   *
   * @return its tag, as it was received; {@link Integer#MIN_VALUE} for none
   */
  int failingTag();
}

package dev.decant.fix.session;

import dev.decant.fix.dictionary.Dictionary;
import dev.decant.fix.dictionary.MessageValidator;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.MsgType;
import dev.decant.fix.message.RejectReason;
import dev.decant.fix.message.Tag;
import dev.decant.fix.settings.SessionSettings;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Whether the dictionaries of a session find a message valid. In a FIXT.1.1 session the counterparty's Logon(A) says by
 * DefaultApplVerID(1137) which application dictionary counts. Owner of the session only.
 */
public final class Validation {
  static final int VALID = MessageValidator.VALID;
  static final int UNSUPPORTED_MSG_TYPE = MessageValidator.UNSUPPORTED_MSG_TYPE;

  private final Map<String, MessageValidator> byVersion = new HashMap<>();
  private MessageValidator validator;

  private Validation(Dictionary dictionary, SessionSettings settings) {
    validator = new MessageValidator(dictionary, settings.validation());
    for (Map.Entry<String, Dictionary> application : settings.applicationDictionaries().entrySet()) {
      byVersion.put(application.getKey(),
          new MessageValidator(dictionary, application.getValue(), settings.validation()));
    }
    validator = byVersion.getOrDefault(settings.defaultApplVerId(), validator);
  }

  /**
   * Makes the validation of a session.
   *
   * @param settings of the session
   * @return null if it has no dictionary
   */
  public static @Nullable Validation of(SessionSettings settings) {
    Dictionary dictionary = settings.dictionary();
    return dictionary == null ? null : new Validation(dictionary, settings);
  }

  /** Returns {@link #VALID}, {@link #UNSUPPORTED_MSG_TYPE} or a value of SessionRejectReason(373). */
  int validate(MessageView message) {
    if (message.msgTypeKey() == MsgType.LOGON && !byVersion.isEmpty()) {
      String version = message.string(Tag.DEFAULT_APPL_VER_ID, "");
      validator = byVersion.getOrDefault(version, validator);
    }
    return validator.validate(message);
  }

  /** Whether messages of an application's version can be validated; any if there is no application dictionary. */
  boolean knowsVersion(String applVerId) {
    return byVersion.isEmpty() || byVersion.containsKey(applVerId);
  }

  /** The field that the last message failed for; {@link RejectMessages#NO_TAG} for none. */
  int failingTag(int reason) {
    int tag = validator.failingTag();
    return tag > 0 || reason == RejectReason.INVALID_TAG_NUMBER ? tag : RejectMessages.NO_TAG;
  }
}

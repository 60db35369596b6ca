package dev.decant.fake;

import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads a fault in the form of words: an API, the requests to hit, and the fault.
 *
 * <pre>
 *   Produce topic=orders nth=2 answer=NOT_LEADER_OR_FOLLOWER
 *   any client=shop every delay=200ms
 * </pre>
 *
 * An error is one line: the fault as it was given, the wrong word, and what to write instead.
 */
final class FaultText {
  /** Most characters of a text in a message: a text from elsewhere may be long. */
  private static final int LONGEST_SHOWN = 200;
  private static final Pattern TIME = Pattern.compile("(\\d{1,9})(ms|s|m|h)");
  private static final Duration LONGEST_TIME = Duration.ofDays(7);
  private static final String TURN = "which requests";
  private static final String ACTIONS = "answer=ERROR, delay=TIME, answer-after=TIME, throttle=TIME, close-before,"
      + " close-after, never-answer, damage, answer-twice or answer-in-two-pieces";

  private final Faults faults;
  private final String text;
  /** The words that were read, by their subject: each subject may be set once. */
  private final Map<String, String> said = new HashMap<>();
  private @Nullable Fault fault;

  private FaultText(Faults faults, String text) {
    this.faults = faults;
    this.text = text;
  }

  /** Puts the fault of a text in force. */
  static Fault add(Faults faults, String text) {
    return new FaultText(faults, text).read();
  }

  private Fault read() {
    String[] words = text.strip().split("\\s+", -1);
    FaultBuilder builder = words[0].equalsIgnoreCase("any") ? faults.onAny() : faults.on(api(words[0]));
    for (int i = 1; i < words.length; i++) {
      if (fault != null) { // end it: the words before the wrong one have put it in force already
        fault.end();
        throw wrong(words[i], "comes after what happens, which has to be the last word");
      }
      int equals = words[i].indexOf('=');
      if (equals < 0) {
        readWord(builder, words[i]);
      } else {
        readPair(builder, words[i], words[i].substring(0, equals).toLowerCase(Locale.ROOT),
            words[i].substring(equals + 1));
      }
    }
    Fault inForce = fault;
    if (inForce == null) {
      throw new IllegalArgumentException(shown() + " does not say what happens; end it with " + ACTIONS);
    }
    return inForce;
  }

  private ApiKey api(String name) {
    for (ApiKey api : ApiKey.values()) {
      if (api.label().equalsIgnoreCase(name)) {
        return api;
      }
    }
    throw wrong(name, "is not an API of Kafka; begin with one such as Produce, Fetch, OffsetCommit, or with any");
  }

  private void readWord(FaultBuilder builder, String word) {
    switch (word.toLowerCase(Locale.ROOT)) {
      case "every" -> {
        sayOnce(TURN, word);
        builder.every();
      }
      case "close-before" -> fault = builder.closeBefore();
      case "close-after" -> fault = builder.closeAfter();
      case "never-answer" -> fault = builder.neverAnswer();
      case "damage" -> fault = builder.damage();
      case "answer-twice" -> fault = builder.answerTwice();
      case "answer-in-two-pieces" -> fault = builder.answerInTwoPieces();
      default -> throw unknown(word);
    }
  }

  private void readPair(FaultBuilder builder, String word, String name, String value) {
    if (value.isEmpty()) {
      throw wrong(word, "has no value");
    }
    switch (name) {
      case "broker" -> builder.broker(broker(word, value));
      case "client" -> {
        sayOnce(name, word);
        builder.client(value);
      }
      case "topic" -> builder.topic(topic(word, value));
      case "nth" -> builder.nth(turn(word, value));
      case "first" -> builder.first(turn(word, value));
      case "answer" -> fault = builder.answer(error(word, value));
      case "delay" -> fault = builder.delay(time(word, value));
      case "answer-after" -> fault = builder.answerAfter(time(word, value));
      case "throttle" -> fault = builder.throttle(time(word, value));
      default -> throw unknown(word);
    }
  }

  private void sayOnce(String about, String word) {
    String before = said.put(about, word);
    if (before != null) {
      throw wrong(word, "contradicts " + printable(before) + " or repeats it; remove one of the two");
    }
  }

  private int turn(String word, String value) {
    sayOnce(TURN, word);
    return number(word, value);
  }

  private int broker(String word, String value) {
    sayOnce("broker", word);
    int id = number(word, value);
    String problem = faults.problemOfBroker(id);
    if (problem != null) {
      throw wrong(word, "is no broker of this cluster; " + problem);
    }
    return id;
  }

  private String topic(String word, String value) {
    sayOnce("topic", word);
    String problem = faults.problemOfTopic(value);
    if (problem != null) {
      throw wrong(word, "is no topic of this cluster; create it first, or correct the name: " + printable(problem));
    }
    return value;
  }

  private int number(String word, String value) {
    try {
      int number = Integer.parseInt(value);
      if (number > 0) {
        return number;
      }
    } catch (NumberFormatException e) {
      // the error below names the word
    }
    throw wrong(word, "is not a whole number from 1 to " + Integer.MAX_VALUE);
  }

  private ErrorCode error(String word, String value) {
    for (ErrorCode error : ErrorCode.values()) {
      if (error.name().equalsIgnoreCase(value) && error.isOfBrokers() && error != ErrorCode.NONE) {
        return error;
      }
    }
    throw wrong(word, "is not an error of Kafka's brokers; write its name, such as NOT_LEADER_OR_FOLLOWER");
  }

  private Duration time(String word, String value) {
    Matcher time = TIME.matcher(value.toLowerCase(Locale.ROOT));
    if (time.matches()) {
      long count = Long.parseLong(time.group(1));
      Duration duration = switch (time.group(2)) {
        case "ms" -> Duration.ofMillis(count);
        case "s" -> Duration.ofSeconds(count);
        case "m" -> Duration.ofMinutes(count);
        default -> Duration.ofHours(count);
      };
      if (duration.compareTo(LONGEST_TIME) > 0) {
        throw wrong(word, "is too long; write at most " + LONGEST_TIME.toHours() + "h");
      }
      return duration;
    }
    throw wrong(word, "is not a time; write it as 200ms, 2s, 3m or 1h");
  }

  private IllegalArgumentException unknown(String word) {
    return wrong(word,
        "is not known; write broker=ID, client=ID, topic=NAME, nth=N, first=N or every, then " + ACTIONS);
  }

  private IllegalArgumentException wrong(String word, String why) {
    return new IllegalArgumentException(shown() + ": " + printable(word) + " " + why);
  }

  private String shown() {
    return "fault '" + printable(text) + "'";
  }

  private static String printable(String foreign) {
    StringBuilder shown = new StringBuilder();
    for (int i = 0; i < Math.min(foreign.length(), LONGEST_SHOWN); i++) {
      char c = foreign.charAt(i);
      shown.append(Character.isISOControl(c) ? ' ' : c);
    }
    return foreign.length() > LONGEST_SHOWN ? shown.append("...").toString() : shown.toString();
  }
}

package dev.decant.fix.conformance;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Plays a script against a session. It is strict: before anything else happens, each message that the session has sent
 * or delivered must have been expected.
 *
 * <p>It checks more of a message that was sent than the script names: the places of 8, 9, 35 and 10, length and sum,
 * 49 and 56, and SendingTime(52) between the last step and now. MsgSeqNum(34) is one above the last, unless the message
 * is sent again or the script names the number.
 *
 * <p>The counterparty's messages get what the script does not name: 8, 9, 10, 49, 52, 56, and the next 34.
 *
 * <ul>
 * <li>{@code *} is any value, {@code ^} is an SOH within one.
 * <li>{@code NOW}, {@code NOW-10s} and {@code NOW+10s} are times.
 * <li>In the bytes of {@code raw}, {@code BEGIN} is the version's BeginString, and {@code LEN} and {@code SUM} are what
 *     is right.
 * </ul>
 */
final class ScriptRunner {
  private static final Pattern TIME = Pattern.compile("NOW(?:([+-])(\\d+)(ms|s|m|h))?");
  private static final Pattern NUMBERS = Pattern.compile("out=(\\d+) in=(\\d+)");
  /** Fields of each message, which {@code <!} need not name. */
  private static final Set<Integer> OF_EACH = Set.of(8, 9, 10, 34, 35, 49, 52, 56);

  private final Script script;
  private final Version version;
  private final SessionUnderTest session;
  private final Map<Integer, Peer> peers = new HashMap<>();
  private final Deque<Message> delivered = new ArrayDeque<>();
  private long lastStepNanos;
  /** MsgSeqNum(34) of the last message of the session, and of the counterparty. */
  private long lastSent;
  private long lastReceived;

  /** The counterparty's end of a connection. */
  private static final class Peer {
    final SessionUnderTest.Link link;
    final Deque<Message> sent = new ArrayDeque<>();

    Peer(SessionUnderTest.Link link) {
      this.link = link;
    }
  }

  private ScriptRunner(Script script, Version version, SessionUnderTest session) {
    this.script = script;
    this.version = version;
    this.session = session;
    lastStepNanos = session.epochNanos();
  }

  /**
   * Plays a script.
   *
   * @throws AssertionError if the session does something else; the message has the line
   */
  static void run(Script script, Version version, SessionUnderTest.Factory factory) {
    SessionUnderTest session = factory.open(version, script.initiator(), script.settings());
    ScriptRunner runner = new ScriptRunner(script, version, session);
    for (Step step : script.steps().getOrDefault(version, List.of())) {
      runner.step(step);
    }
    runner.guarded(null, runner::requireNothingLeft);
  }

  private void step(Step step) {
    guarded(step, () -> {
      if (!isExpectation(step.verb())) {
        requireNothingLeft();
        lastStepNanos = session.epochNanos();
      }
      play(step);
      collect();
    });
  }

  private void guarded(@Nullable Step step, Runnable action) {
    try {
      action.run();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(script.name() + " [" + version + "] "
          + (step == null ? "at its end" : "line " + step.line() + ", " + step) + ": " + e.getMessage(), e);
    }
  }

  private static boolean isExpectation(Step.Verb verb) {
    return switch (verb) {
      case SENT, MAY_HAVE_SENT, SENT_EXACTLY, CLOSED, OPEN, DELIVERED, NUMBERS, RESET_OUTCOME -> true;
      default -> false;
    };
  }

  private void collect() {
    for (Peer peer : peers.values()) {
      peer.sent.addAll(Message.split(peer.link.takeSent()));
    }
    for (byte[] message : session.takeDelivered()) {
      delivered.add(Message.readFields(Message.text(message)));
    }
  }

  private void requireNothingLeft() {
    for (Map.Entry<Integer, Peer> peer : peers.entrySet()) {
      if (!peer.getValue().sent.isEmpty()) {
        throw new AssertionError("the session has sent what was not expected: " + peer.getValue().sent);
      }
    }
    if (!delivered.isEmpty()) {
      throw new AssertionError("the application was given what was not expected: " + delivered);
    }
  }

  private void play(Step step) {
    switch (step.verb()) {
      case CONNECT -> peers.put(step.connection(), new Peer(session.connect()));
      case DISCONNECT -> peer(step).link.drop();
      case RECEIVE -> receive(step);
      case RECEIVE_RAW -> peer(step).link.receive(raw(step.text()));
      case SENT, SENT_EXACTLY, MAY_HAVE_SENT -> sent(step);
      case CLOSED -> closed(step);
      case OPEN -> require(!peer(step).link.isClosed(), "the session has closed the connection");
      case ADVANCE -> session.advance(step.duration());
      case SEND -> require(send(step), "the message was refused");
      case CANNOT_SEND -> require(!send(step), "the message was taken");
      case DELIVERED -> delivered(step);
      case LOGOUT -> session.logout(step.text());
      case RESET -> session.resetNumbers();
      case RESET_WITHOUT_LOGOUT -> session.resetWithoutLogout();
      case RESET_OUTCOME -> resetOutcome(step);
      case SET_NUMBERS -> session.setNumbers(number(step, 1), number(step, 2));
      case NUMBERS -> numbers(step);
      case UNSUPPORTED -> session.doNotSupport(step.text());
      case REFUSE_LOGON -> session.refuseLogons(step.text());
      case STORE_REFUSES -> session.storeRefuses(true);
      case STORE_TAKES -> session.storeRefuses(false);
      case KEEP_BACK -> step.fields().forEach(field -> session.keepBack(field.tag(), field.value()));
    }
  }

  private Peer peer(Step step) {
    Peer peer = peers.get(step.connection());
    if (peer == null) {
      throw new AssertionError("there is no connection " + step.connection());
    }
    return peer;
  }

  private void receive(Step step) {
    List<Field> fields = new ArrayList<>();
    Set<Integer> named = new HashSet<>();
    for (Field field : step.fields()) {
      named.add(field.tag());
      fields.add(new Field(field.tag(), resolved(field.value()), field.absent()));
    }
    fill(fields, named, 49, SessionUnderTest.THEIRS);
    fill(fields, named, 56, SessionUnderTest.OURS);
    fill(fields, named, 52, Message.timestamp(session.epochNanos()));
    fill(fields, named, 34, Long.toString(lastReceived + 1));
    count(new Message(fields));
    peer(step).link.receive(Message.of(version.beginString(), fields));
  }

  private static void fill(List<Field> fields, Set<Integer> named, int tag, String value) {
    if (!named.contains(tag)) {
      fields.add(new Field(tag, value, false));
    }
  }

  /** The number of a message of the counterparty counts, unless it is sent again, or skips to another one. */
  private void count(Message message) {
    String newSeqNo = message.value(36, 0);
    String number = newSeqNo == null ? message.value(34, 0) : Long.toString(Long.parseLong(newSeqNo) - 1);
    if (number != null && number.matches("\\d+") && message.value(43, 0) == null) {
      lastReceived = Long.parseLong(number);
    }
  }

  private byte[] raw(String text) {
    String bytes = resolved(text).replace("BEGIN", version.beginString());
    int length = bytes.indexOf("|9=LEN|");
    int trailer = bytes.lastIndexOf("|10=") + 1;
    if (length >= 0) {
      int bodyFrom = length + "|9=LEN|".length();
      int bodyBytes = (trailer == 0 ? bytes.length() : trailer) - bodyFrom;
      bytes = bytes.replace("|9=LEN|", "|9=" + bodyBytes + '|');
      trailer = bytes.lastIndexOf("|10=") + 1;
    }
    return Message.bytes(bytes.replace("|10=SUM|", "|10=" + Message.checkSum(bytes.substring(0, trailer)) + '|'));
  }

  private String resolved(String value) {
    return TIME.matcher(value).replaceAll(time -> Message.timestamp(time(time.group(1), time.group(2), time.group(3))));
  }

  private long time(@Nullable String sign, @Nullable String count, @Nullable String unit) {
    if (sign == null || count == null || unit == null) {
      return session.epochNanos();
    }
    long distance = Long.parseLong(count) * switch (unit) {
      case "ms" -> Duration.ofMillis(1).toNanos();
      case "s" -> Duration.ofSeconds(1).toNanos();
      case "m" -> Duration.ofMinutes(1).toNanos();
      default -> Duration.ofHours(1).toNanos();
    };
    return session.epochNanos() + (sign.equals("-") ? -distance : distance);
  }

  private void sent(Step step) {
    Peer peer = peer(step);
    Message message = peer.sent.peek();
    if (step.verb() == Step.Verb.MAY_HAVE_SENT && (message == null || difference(step, message) != null)) {
      return;
    }
    require(message != null, "the session has sent nothing" + (peer.link.isClosed() ? ", and closed" : ""));
    peer.sent.remove();
    String difference = difference(step, message);
    require(difference == null, difference + " in " + message);
    checkHeader(step, message);
  }

  private void checkHeader(Step step, Message message) {
    requireValue(message, 8, version.beginString());
    requireValue(message, 49, SessionUnderTest.OURS);
    requireValue(message, 56, SessionUnderTest.THEIRS);
    long sendingTime = Message.epochNanos(String.valueOf(message.value(52, 0)));
    require(sendingTime <= session.epochNanos() && sendingTime > lastStepNanos - 1_000_000_000L,
        "52 is not the time of sending in " + message);
    long number = Long.parseLong(String.valueOf(message.value(34, 0)));
    boolean again = "Y".equals(message.value(43, 0));
    boolean named = step.fields().stream().anyMatch(field -> field.tag() == 34);
    require(again || named || number == lastSent + 1, "34 does not follow " + lastSent + " in " + message);
    lastSent = again ? lastSent : number;
  }

  private static void requireValue(Message message, int tag, String value) {
    boolean once = value.equals(message.value(tag, 0)) && message.value(tag, 1) == null;
    require(once, tag + " is not " + value + ", once, in " + message);
  }

  /** The first field in which a message is not as expected; null if there is none. */
  private @Nullable String difference(Step step, Message message) {
    Map<Integer, Integer> seen = new HashMap<>();
    for (Field field : step.fields()) {
      int occurrence = seen.merge(field.tag(), 1, Integer::sum) - 1;
      String value = message.value(field.tag(), occurrence);
      if (field.absent() ? value != null : !matches(field.value(), value)) {
        return "not " + field;
      }
    }
    if (step.verb() == Step.Verb.SENT_EXACTLY) {
      for (Field field : message.fields()) {
        if (!OF_EACH.contains(field.tag()) && !seen.containsKey(field.tag())) {
          return field + " was not expected";
        }
      }
    }
    return null;
  }

  private boolean matches(String expected, @Nullable String value) {
    if (value == null) {
      return false;
    }
    return expected.equals("*") || resolved(expected).replace('^', '|').equals(value);
  }

  private void closed(Step step) {
    Peer peer = peer(step);
    require(peer.sent.isEmpty(), "before its end the session has sent " + peer.sent);
    require(peer.link.isClosed(), "the session has not closed the connection");
  }

  private boolean send(Step step) {
    String msgType = "";
    StringBuilder body = new StringBuilder();
    for (Field field : step.fields()) {
      if (field.tag() == 35) {
        msgType = field.value();
      } else {
        body.append(field.tag()).append('=').append(resolved(field.value())).append('|');
      }
    }
    return session.send(msgType, Message.bytes(body.toString()));
  }

  private void delivered(Step step) {
    Message message = delivered.poll();
    require(message != null, "the application was given nothing");
    String difference = difference(step, message);
    require(difference == null, difference + " in " + message);
  }

  private static long number(Step step, int group) {
    Matcher numbers = NUMBERS.matcher(step.text());
    require(numbers.matches(), "numbers are written out=1 in=1");
    return Long.parseLong(numbers.group(group));
  }

  private void numbers(Step step) {
    String numbers = "out=" + session.nextOutbound() + " in=" + session.nextInbound();
    require(numbers.equals(step.text()), "the next numbers are " + numbers);
  }

  private void resetOutcome(Step step) {
    String outcome = session.resetOutcome();
    require(step.text().equals("none") ? outcome.isEmpty() : outcome.startsWith(step.text()),
        "the reset has come to '" + outcome + "'");
  }

  private static void require(boolean condition, String problem) {
    if (!condition) {
      throw new AssertionError(problem);
    }
  }
}

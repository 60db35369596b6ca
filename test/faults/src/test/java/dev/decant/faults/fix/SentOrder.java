package dev.decant.faults.fix;

import java.util.ArrayList;
import java.util.List;

/**
 * An order that a side was given to send. Its journal has a line before the send and one after it, so an order whose
 * process was killed meanwhile is in doubt.
 *
 * @param id ClOrdID(11), which no other order of the session has
 * @param outcome what the engine responded
 * @param number MsgSeqNum(34) if it was accepted, 0 otherwise
 */
record SentOrder(String id, Outcome outcome, long number) {
  enum Outcome {
    ACCEPTED, REFUSED, IN_DOUBT
  }

  static String before(String id) {
    return "send " + id;
  }

  /** The line after a send that returned a number; a number below 1 means that the order was refused. */
  static String after(String id, long number) {
    return number > 0 ? "accepted " + id + ' ' + number : "refused " + id;
  }

  /** The orders of a journal, in their order. */
  static List<SentOrder> of(List<String> lines) {
    List<SentOrder> orders = new ArrayList<>();
    for (String line : lines) {
      String[] words = line.split(" ", -1);
      switch (words[0]) {
        case "send" -> orders.add(new SentOrder(words[1], Outcome.IN_DOUBT, 0));
        case "accepted" -> replaceLast(orders, words[1],
            new SentOrder(words[1], Outcome.ACCEPTED, Long.parseLong(words[2])));
        case "refused" -> replaceLast(orders, words[1], new SentOrder(words[1], Outcome.REFUSED, 0));
        default -> throw new IllegalArgumentException("no line of a journal: " + line);
      }
    }
    return orders;
  }

  private static void replaceLast(List<SentOrder> orders, String id, SentOrder order) {
    if (orders.isEmpty() || !orders.getLast().id.equals(id)) {
      throw new IllegalArgumentException("an outcome of " + id + " after " + orders);
    }
    orders.set(orders.size() - 1, order);
  }
}

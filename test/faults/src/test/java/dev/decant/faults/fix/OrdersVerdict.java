package dev.decant.faults.fix;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Compares what one engine accepted with what the other gave to its application, in one direction of a session. Each
 * accepted order arrives, under the number that its send returned. No order arrives that was refused, or that nobody
 * sent. Numbers ascend. An order comes twice only in this case: the receiver was killed while its application had the
 * order, so its store did not have the number yet. The order then comes first after the restart, with PossDupFlag(43),
 * and the application knows the number.
 *
 * <p>An order in doubt may arrive or not: its sender was killed before the send returned. Each process has at
 * most one order in doubt.
 */
final class OrdersVerdict {
  private static final int SHOWN = 20;

  private final Map<String, SentOrder> sent = new HashMap<>();
  /** Ids of accepted orders by number; of orders in doubt once they have arrived. */
  private final Map<Long, String> idOfNumber = new HashMap<>();
  private final List<String> violations = new ArrayList<>();
  private int violationCount;
  private int accepted;
  private int refused;
  private int inDoubt;
  private int received;
  private int again;

  private OrdersVerdict() {}

  /**
   * Judges one direction that is at rest.
   *
   * @param senders the orders of each process of the sender, which all but the last were killed
   * @param receivers what each process of the receiver got
   */
  static OrdersVerdict of(List<List<SentOrder>> senders, List<List<ReceivedOrder>> receivers) {
    OrdersVerdict verdict = new OrdersVerdict();
    verdict.judgeSenders(senders);
    verdict.judgeReceivers(receivers);
    return verdict;
  }

  private void violation(String text) {
    violationCount++;
    if (violations.size() < SHOWN) {
      violations.add(text);
    }
  }

  private void judgeSenders(List<List<SentOrder>> senders) {
    long last = 0;
    for (List<SentOrder> orders : senders) {
      for (SentOrder order : orders) {
        if (sent.put(order.id(), order) != null) {
          throw new IllegalArgumentException("two orders " + order.id());
        }
        switch (order.outcome()) {
          case ACCEPTED -> {
            accepted++;
            idOfNumber.putIfAbsent(order.number(), order.id());
            if (order.number() <= last) {
              violation(order + " is accepted after number " + last);
            }
            last = order.number();
          }
          case REFUSED -> refused++;
          default -> inDoubt++;
        }
      }
    }
  }

  private void judgeReceivers(List<List<ReceivedOrder>> receivers) {
    Map<String, Long> applied = new HashMap<>();
    long last = 0;
    for (int life = 0; life < receivers.size(); life++) {
      List<ReceivedOrder> orders = receivers.get(life);
      for (int i = 0; i < orders.size(); i++) {
        ReceivedOrder order = orders.get(i);
        received++;
        judgeContent(order);
        if (order.number() > last) {
          Long before = applied.put(order.id(), order.number());
          if (before != null) {
            violation(order + " came before under number " + before);
          }
          last = order.number();
        } else if (order.number() == last && life > 0 && i == 0 && order.isPossDup()) {
          again++;
        } else {
          violation(order + " came in process " + (life + 1) + " after number " + last);
        }
      }
    }
    sent.values().stream().filter(order -> order.outcome() == SentOrder.Outcome.ACCEPTED)
        .filter(order -> !applied.containsKey(order.id())).map(order -> order + " never came").sorted()
        .forEach(this::violation);
  }

  private void judgeContent(ReceivedOrder order) {
    SentOrder asSent = sent.get(order.id());
    if (asSent == null) {
      violation(order + " was never sent");
    } else if (asSent.outcome() == SentOrder.Outcome.REFUSED) {
      violation(order + " came, and was refused");
    } else if (asSent.outcome() == SentOrder.Outcome.ACCEPTED && asSent.number() != order.number()) {
      violation(order + " came, accepted as " + asSent);
    } else {
      String id = idOfNumber.putIfAbsent(order.number(), order.id());
      if (id != null && !id.equals(order.id())) {
        violation(order + " came, and its number is that of " + id);
      }
    }
  }

  /** Empty if all is well; the first ones only if there are very many. */
  List<String> violations() {
    return violations;
  }

  /** One line. */
  String summary() {
    return accepted + " accepted, " + refused + " refused, " + inDoubt + " in doubt, " + received + " received, "
        + again
        + " of them again after a kill, " + violationCount + " violations";
  }
}

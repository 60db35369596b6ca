package dev.decant.faults.fix;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The oracle finds what it is there to find. */
class OrdersVerdictTest {
  /** The first process is killed while it sends c. */
  private static final List<List<SentOrder>> SENDERS = List.of(
      SentOrder.of(List.of("send a", "accepted a 2", "send x", "refused x", "send b", "accepted b 4", "send c")),
      SentOrder.of(List.of("send d", "accepted d 7")));

  /** Each argument has what one process received. */
  private static List<String> violations(String... lives) {
    return OrdersVerdict.of(SENDERS, Arrays.stream(lives).map(life -> ReceivedOrder.of(life.lines().toList())).toList())
        .violations();
  }

  @Test
  void allIsWell() {
    assertThat(violations("2 new a\n4 again b\n7 new d")).isEmpty();
    assertThat(violations("2 new a\n4 new b\n5 again c\n7 new d")).isEmpty();
    assertThat(violations("2 new a\n4 new b", "4 again b\n7 new d")).isEmpty();
    assertThat(violations("2 new a", "", "2 again a\n4 again b\n7 new d")).isEmpty();
  }

  @Test
  void ordersThatDoNotArriveAreFound() {
    assertThat(violations("2 new a\n4 new b")).singleElement().asString().contains("id=d", "never came");
    assertThat(violations("4 new b\n7 new d")).singleElement().asString().contains("id=a", "never came");
  }

  @Test
  void ordersThatComeTwiceAreFound() {
    assertThat(violations("2 new a\n4 new b\n4 again b\n7 new d")).singleElement().asString()
        .contains("after number 4");
    assertThat(violations("2 new a\n4 new b", "4 new b\n7 new d")).singleElement().asString()
        .contains("after number 4");
    assertThat(violations("2 new a\n4 new b", "2 again a\n7 new d")).singleElement().asString().contains("number 4");
    assertThat(violations("2 new a\n4 new b\n5 again c\n6 again c\n7 new d")).singleElement().asString()
        .contains("before under number 5");
  }

  @Test
  void ordersOfOtherNumbersOrSendersAreFound() {
    assertThat(violations("2 new a\n3 new x\n4 new b\n7 new d")).singleElement().asString().contains("was refused");
    assertThat(violations("2 new a\n3 new y\n4 new b\n7 new d")).singleElement().asString().contains("never sent");
    assertThat(violations("2 new a\n5 new b\n7 new d")).singleElement().asString().contains("accepted as");
    assertThat(violations("2 new a\n4 new c\n4 again b\n7 new d")).anyMatch(text -> text.contains("is that of b"));
    assertThat(violations("4 new b\n2 again a\n7 new d")).anyMatch(text -> text.contains("after number 4"));
  }

  @Test
  void numbersThatAreGivenTwiceAreFound() {
    List<List<SentOrder>> senders = List.of(SentOrder.of(List.of("send a", "accepted a 2")),
        SentOrder.of(List.of("send b", "accepted b 2")));

    assertThat(OrdersVerdict.of(senders, List.of(ReceivedOrder.of(List.of("2 new a")))).violations())
        .anyMatch(text -> text.contains("after number 2")).anyMatch(text -> text.contains("id=b"));
  }
}

package dev.decant.fix.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Entries of repeating groups, nested ones and hostile counts too. */
class GroupViewTest {
  private static final String LEGS = "35=AB|555=2|600=A|623=1|539=2|524=P|538=1|524=Q|538=2|"
      + "600=B|623=3|539=1|524=R|58=end|";
  private static final Set<Integer> LEG_TAGS = Set.of(600, 623, 539, 524, 538);
  private static final Set<Integer> PARTY_TAGS = Set.of(524, 538);

  private final GroupView legs = new GroupView(LEG_TAGS::contains);
  private final GroupView parties = new GroupView(PARTY_TAGS::contains);

  @Test
  void entriesAndNestedEntriesAreRead() {
    MessageView view = TestMessages.view(LEGS);
    List<String> read = new ArrayList<>();
    assertThat(view.group(555, legs)).isSameAs(legs);
    assertThat(legs.announced()).isEqualTo(2);
    while (legs.next()) {
      read.add(legs.string(600) + legs.integer(623));
      legs.group(539, parties);
      while (parties.next()) {
        read.add(parties.string(524) + parties.integer(538, 0));
      }
      assertThat(parties.next()).isFalse();
      assertThat(legs.has(58)).isFalse();
      assertThat(legs.find(555)).isEqualTo(-1);
    }
    assertThat(read).containsExactly("A1", "P1", "Q2", "B3", "R0");
    assertThat(legs.next()).isFalse();
    assertThat(legs.has(600)).isFalse();
  }

  @Test
  void groupCanBeReadAgain() {
    MessageView view = TestMessages.view(LEGS);
    for (int round = 0; round < 3; round++) {
      view.group(555, legs);
      assertThat(legs.next()).isTrue();
      assertThat(legs.string(600)).isEqualTo("A");
    }
  }

  /** The view kept the entries of the message before, whose memory holds something else by now. */
  @Test
  void viewIsEmptyAfterACountThatIsNoNumber() {
    TestMessages.view(LEGS).group(555, legs);
    assertThat(legs.next()).isTrue();
    MessageView bad = TestMessages.view("35=AB|555=x|600=A|623=1|");

    assertThatExceptionOfType(FieldException.class).isThrownBy(() -> bad.group(555, legs));
    assertThat(legs.announced()).isZero();
    assertThat(legs.next()).isFalse();
    assertThat(legs.has(600)).isFalse();
  }

  @Test
  void lastEntryOfAGroupWithUnknownTagsGoesToTheEndOfTheMessage() {
    MessageView view = TestMessages.view(LEGS);
    GroupView unknown = view.group(555, new GroupView());
    assertThat(unknown.next()).isTrue();
    assertThat(unknown.has(58)).isFalse();
    assertThat(unknown.next()).isTrue();
    assertThat(unknown.string(58)).isEqualTo("end");
    assertThat(unknown.endField()).isEqualTo(view.endField());
    assertThat(unknown.next()).isFalse();
  }

  @Test
  void repeatedTagOfAnEntryIsFoundWithinIt() {
    MessageView view = TestMessages.view(LEGS);
    view.group(555, legs).next();
    int first = legs.find(524);
    int second = legs.findNext(524, first);
    assertThat(legs.valueEquals(first, "P")).isTrue();
    assertThat(legs.valueEquals(second, "Q")).isTrue();
    assertThat(legs.findNext(524, second)).isEqualTo(-1);
  }

  @Test
  void missingFieldOfAnEntryIsSaid() {
    TestMessages.view(LEGS).group(555, legs).next();
    assertThatExceptionOfType(FieldException.class).isThrownBy(() -> legs.string(58))
        .satisfies(e -> assertThat(e.reason()).isEqualTo(RejectReason.REQUIRED_TAG_MISSING));
  }

  @Test
  void announcedCountIsNotBelieved() {
    for (String count : new String[] {"1", "2", "3", "999999999999999999"}) {
      MessageView view = TestMessages.view("35=AB|555=" + count + "|600=A|600=B|58=x|");
      view.group(555, legs);
      assertThat(legs.announced()).isEqualTo(Long.parseLong(count));
      assertThat(entries(legs)).isEqualTo(2);
    }
  }

  @Test
  void groupWithoutEntriesIsEmpty() {
    for (String body : new String[] {"555=0|", "555=0|600=A|", "555=-3|600=A|", "555=1|58=A|", "555=1|"}) {
      TestMessages.view("35=AB|" + body).group(555, legs);
      assertThat(entries(legs)).as(body).isZero();
      assertThat(legs.find(600)).isEqualTo(-1);
    }
    TestMessages.view("35=AB|").group(555, legs);
    assertThat(legs.announced()).isZero();
    assertThat(entries(legs)).isZero();
  }

  @Test
  void viewBeforeItsFirstUseIsEmpty() {
    GroupView unused = new GroupView();
    assertThat(unused.next()).isFalse();
    assertThat(unused.find(600)).isEqualTo(-1);
    assertThat(unused.find(0)).isEqualTo(-1);
    assertThat(unused.announced()).isZero();
    assertThat(unused.firstField()).isEqualTo(unused.endField());
    assertThat(unused.group(555, legs).next()).isFalse();
  }

  @Test
  void countThatIsNoNumberIsRefused() {
    MessageView view = TestMessages.view("35=AB|555=x|600=A|");
    assertThatExceptionOfType(FieldException.class).isThrownBy(() -> view.group(555, legs))
        .satisfies(e -> assertThat(e.tag()).isEqualTo(555));
  }

  @Test
  void nestedGroupNeedsAViewOfItsOwn() {
    TestMessages.view(LEGS).group(555, legs).next();
    assertThatThrownBy(() -> legs.group(539, legs)).isInstanceOf(IllegalArgumentException.class);
    assertThat(legs.string(600)).isEqualTo("A");
  }

  private static int entries(GroupView group) {
    int entries = 0;
    while (group.next()) {
      entries++;
    }
    return entries;
  }
}

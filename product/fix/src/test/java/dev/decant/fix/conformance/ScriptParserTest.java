package dev.decant.fix.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.decant.fix.conformance.Step.Verb;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The content of parsed scripts, and the errors for those that cannot be parsed. */
class ScriptParserTest {
  private static Script parse(String text) {
    return ScriptParser.parse("test.fix", text, Map.of("LOGON", "35=A|98=0|108=30|[T1.1]1137=7"));
  }

  private static List<Step> steps(String text, Version version) {
    return Objects.requireNonNull(parse("@title a test\n" + text).steps().get(version));
  }

  private static Step step(String text) {
    return steps(text, Version.FIX44).get(0);
  }

  @Test
  void directivesDescribeTheScript() {
    Script script = parse("""
        # a comment
        @title what it shows
        @versions 4.4 T1.1
        @role initiator
        @needs dictionary engine
        @set resendRequestChunk=5
        @set resetOnLogon=true

        connect
        """);

    assertThat(script.title()).isEqualTo("what it shows");
    assertThat(script.initiator()).isTrue();
    assertThat(script.needs()).containsExactlyInAnyOrder("dictionary", "engine");
    assertThat(script.settings()).isEqualTo(Map.of("resendRequestChunk", "5", "resetOnLogon", "true"));
    assertThat(script.steps()).containsOnlyKeys(Version.FIX44, Version.FIXT11);
  }

  @Test
  void withoutDirectivesAnAcceptorOfAllVersionsIsMeant() {
    Script script = parse("@title a test\nconnect");

    assertThat(script.initiator()).isFalse();
    assertThat(script.settings()).isEmpty();
    assertThat(script.steps()).containsOnlyKeys(Version.values());
  }

  @Test
  void stepsKnowTheirLineVerbAndConnection() {
    List<Step> steps = steps("connect\n\n# nothing\n2: closed\n+30s\n+5ms\n+2m\n+1h", Version.FIX42);

    assertThat(steps).extracting(Step::line).containsExactly(2, 5, 6, 7, 8, 9);
    assertThat(steps).extracting(Step::connection).containsExactly(1, 2, 1, 1, 1, 1);
    assertThat(steps).extracting(Step::verb).containsExactly(Verb.CONNECT, Verb.CLOSED, Verb.ADVANCE, Verb.ADVANCE,
        Verb.ADVANCE, Verb.ADVANCE);
    assertThat(steps).extracting(Step::duration).containsExactly(Duration.ZERO, Duration.ZERO, Duration.ofSeconds(30),
        Duration.ofMillis(5), Duration.ofMinutes(2), Duration.ofHours(1));
  }

  @Test
  void fieldsAreTagsAndValuesOrAbsent() {
    assertThat(step("> 35=D|34=2|58=a=b|-52|115=|").fields()).containsExactly(new Field(35, "D", false),
        new Field(34, "2", false), new Field(58, "a=b", false), new Field(52, "", true), new Field(115, "", false));
  }

  @Test
  void repeatedFieldsStay() {
    assertThat(step("> 35=D|78=2|79=a|79=b").fields()).extracting(Field::value).containsExactly("D", "2", "a", "b");
  }

  @Test
  void namesStandForFieldsThatLaterFieldsReplace() {
    Step step = step("@define ME 553=me|554=x\n> LOGON|ME|34=1|108=10|-98");

    assertThat(step.fields().toString()).isEqualTo("[35=A, -98, 108=10, 553=me, 554=x, 34=1]");
  }

  @Test
  void partsMayBeForSomeVersions() {
    String text = "connect\n[4.4 T1.1] open\n> LOGON|[4.2]141=Y\n[4.2] closed";

    assertThat(steps(text, Version.FIX42).toString()).isEqualTo("[connect, > 35=A 98=0 108=30 141=Y, closed]");
    assertThat(steps(text, Version.FIX44).toString()).isEqualTo("[connect, open, > 35=A 98=0 108=30]");
    assertThat(steps(text, Version.FIXT11).toString()).isEqualTo("[connect, open, > 35=A 98=0 108=30 1137=7]");
  }

  @Test
  void stepsForVersionsThatAreNotCoveredAreReadAndLeftOut() {
    assertThat(steps("@versions 4.2\nconnect\n[4.4] closed", Version.FIX42)).hasSize(1);
    assertThatThrownBy(() -> steps("@versions 4.2\nconnect\n[4.4] clothed", Version.FIX42))
        .hasMessageContaining("line 4");
  }

  @Test
  void restOfSomeLinesIsText() {
    assertThat(step("raw 8=FIX.4.4|9=LEN|35=0|").text()).isEqualTo("8=FIX.4.4|9=LEN|35=0|");
    assertThat(step("logout end of day").text()).isEqualTo("end of day");
    assertThat(step("logout").text()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(delimiter = ';', quoteCharacter = '"', value = {
      "frob; unknown word 'frob'",
      "> ; '>' wants fields",
      "> 35; '35' is neither tag=value nor -tag nor a defined name",
      "< 35=A|LOGOFF; 'LOGOFF' is neither",
      "closed now; 'closed' stands alone, without 'now'",
      "+; a duration is a number",
      "+3 weeks; a duration is a number",
      "[4.9] connect; unknown version '4.9'",
      "> 35=A|[5.0]1137=7; unknown version '5.0'",
      "@frob x; unknown directive '@frob'",
      "@role; '@role' says nothing",
      "@role server; a role is initiator or acceptor",
      "@set chunk; a setting is name=value",
      "@define order 35=D; a definition is a name in capital letters",
      "@define ORDER; a definition is a name in capital letters",
      "@versions 4.4; @versions comes before the first step"
  })
  void errorsNameTheLine(String line, String problem) {
    assertThatThrownBy(() -> parse("@title a test\nconnect\n\n" + line)).isInstanceOf(ScriptException.class)
        .hasMessageStartingWith("test.fix, line 4: ").hasMessageContaining(problem);
  }

  @Test
  void definitionsInCirclesAreRefused() {
    assertThatThrownBy(() -> steps("@define A B\n@define B A\n> A", Version.FIX44)).hasMessageContaining("line 4");
  }

  @Test
  void scriptNeedsATitleAndSteps() {
    assertThatThrownBy(() -> parse("connect")).hasMessageContaining("no @title");
    assertThatThrownBy(() -> parse("@title a test\n# nothing")).hasMessageContaining("no steps");
  }

  @Test
  void fileOfDefinitionsHasNothingElse() {
    assertThat(ScriptParser.definitions("d", "# names\n@define A 35=A\n\n@define B 35=B|[4.4]1=x"))
        .isEqualTo(Map.of("A", "35=A", "B", "35=B|[4.4]1=x"));
    assertThatThrownBy(() -> ScriptParser.definitions("d", "@define A 35=A\nconnect"))
        .hasMessageStartingWith("d, line 2: ");
  }
}

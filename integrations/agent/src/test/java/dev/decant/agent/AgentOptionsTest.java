package dev.decant.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgentOptionsTest {
  private static AgentOptions read(@Nullable String argument, String... properties) {
    Properties all = new Properties();
    for (int i = 0; i < properties.length; i += 2) {
      all.setProperty(properties[i], properties[i + 1]);
    }
    return AgentOptions.read(argument, all);
  }

  @Test
  void withoutOptionsAllButApachesClassesAreRead() {
    ClassFilter classes = read(null).classes();

    assertThat(classes.accepts("com.example.Orders")).isTrue();
    assertThat(classes.accepts("dev.decant.lab.Driver")).isTrue();
    assertThat(classes.accepts("org.apache.kafka.tools.ProducerPerformance")).isFalse();
    assertThat(classes.accepts("java.util.List")).isFalse();
    assertThat(classes.accepts("dev.decant.kafka.apache.DecantProducer")).isFalse();
    assertThat(classes.accepts("dev.decant.agent.Construction")).isFalse();
  }

  @Test
  void includeAndExcludeChooseClasses() {
    ClassFilter classes = read("include=a.b.*;c.*,exclude=c.d.*;a.b.X").classes();

    assertThat(classes.accepts("a.b.Y")).isTrue();
    assertThat(classes.accepts("a.b.c.Y$Inner")).isTrue();
    assertThat(classes.accepts("a.b.X")).isFalse();
    assertThat(classes.accepts("c.X")).isTrue();
    assertThat(classes.accepts("c.d.e.X")).isFalse();
    assertThat(classes.accepts("a.X")).isFalse();
  }

  @Test
  void apachesClassesAreIncludedByName() {
    ClassFilter classes = read("include=*;org.apache.kafka.tools.*").classes();

    assertThat(classes.accepts("org.apache.kafka.tools.ProducerPerformance")).isTrue();
    assertThat(classes.accepts("org.apache.kafka.streams.KafkaStreams")).isFalse();
    assertThat(classes.accepts("com.example.Orders")).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"a.*Test,a.bTest,true", "a.*Test,a.Tests,false", "*.X,a.b.X,true", "a*b*c,abbcc,true", "a*b*c,ac,false",
      "a.b,a.b,true", "a.b,a.bc,false", "*,a,true"})
  void aStarStandsForAnyCharacters(String pattern, String name, boolean matches) {
    assertThat(NamePatterns.parse("include", pattern).match(name)).isEqualTo(matches);
  }

  @Test
  void propertiesWin() {
    AgentOptions options = read("include=a.*,log=off", "decant.agent.include", "b.*, c.*", "decant.agent.report",
        "report.txt", "other", "x");

    assertThat(options.classes().accepts("a.X")).isFalse();
    assertThat(options.classes().accepts("c.X")).isTrue();
    assertThat(options.detail()).isEqualTo(AgentOptions.Detail.OFF);
    assertThat(options.report()).isEqualTo(Path.of("report.txt"));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {"inclde=a.*|option inclde is unknown; the options are exclude, include, lib,",
      "include|\"include\" has no value; write NAME=VALUE", "include=|option include is empty",
      "include=a/b|include: \"a/b\" is no pattern of class names; write names such as com.example.*",
      "exclude=a.*;|exclude: \"\" is no pattern of class names", "log=loud|log: \"loud\" is unknown; write off, first",
      "lib=/no/such/place|lib: /no/such/place does not exist; name a directory with Decant's jars",
      "lib=/;|lib: \"/;\" has an empty part; name a directory or a jar between ;"})
  void aWrongOptionIsNamedWithWhatToDo(String argument, String message) {
    assertThatThrownBy(() -> read(argument)).isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(message).message().doesNotContain("\n");
  }

  @Test
  void aWrongPropertyIsNamedInFull() {
    assertThatThrownBy(() -> read(null, "decant.agent.exlude", "a.*"))
        .hasMessageStartingWith("decant.agent.exlude is unknown;");
  }
}

package dev.decant.lab;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * Lays out the text of {@code --help} in 80 columns. A line is broken only at spaces, so names like {@code result.json}
 * stay whole.
 */
final class HelpLayout {
  static final int WIDTH = 80;
  /** Column at which the text behind the names of options begins. */
  static final int INDENT = 26;

  private HelpLayout() {}

  /** Sets this layout for a command and all its subcommands. */
  static CommandLine applyTo(CommandLine command) {
    Map<String, IHelpSectionRenderer> sections = new HashMap<>(command.getHelpSectionMap());
    sections.put(UsageMessageSpec.SECTION_KEY_SYNOPSIS, help -> synopsis(help.commandSpec()));
    sections.put(UsageMessageSpec.SECTION_KEY_DESCRIPTION, help -> description(help.commandSpec()));
    sections.put(UsageMessageSpec.SECTION_KEY_PARAMETER_LIST, help -> parameters(help.commandSpec()));
    sections.put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, help -> options(help.commandSpec()));
    sections.put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, help -> commands(help.commandSpec()));
    sections.put(UsageMessageSpec.SECTION_KEY_EXIT_CODE_LIST, help -> exitCodes(help.commandSpec()));
    sections.put(UsageMessageSpec.SECTION_KEY_FOOTER, help -> examples(help.commandSpec()));
    command.setHelpSectionMap(sections);
    command.getSubcommands().values().forEach(HelpLayout::applyTo);
    return command;
  }

  private static String synopsis(CommandSpec spec) {
    String[] custom = spec.usageMessage().customSynopsis();
    if (custom.length > 0) {
      return String.join("\n", custom) + "\n";
    }
    List<String> words = new ArrayList<>(List.of(spec.qualifiedName()));
    if (!spec.options().isEmpty()) {
      words.add("[OPTIONS]");
    }
    spec.positionalParameters().forEach(parameter -> words.add(times(parameter)));
    if (!spec.subcommands().isEmpty()) {
      words.add("[COMMAND]");
    }
    return String.join(" ", words) + "\n";
  }

  private static String times(PositionalParamSpec parameter) {
    String label = parameter.paramLabel() + (parameter.arity().max() > 1 ? "..." : "");
    return parameter.required() ? label : "[" + label + "]";
  }

  /** Returns the description. Its first part is one sentence, which the list of commands shows, too. */
  private static String description(CommandSpec spec) {
    StringBuilder text = new StringBuilder("\n");
    for (String part : spec.usageMessage().description()) {
      text.append(paragraph(part, 0));
    }
    return text.append('\n').toString();
  }

  private static String parameters(CommandSpec spec) {
    StringBuilder text = new StringBuilder();
    spec.positionalParameters()
        .forEach(parameter -> text.append(entry(parameter.paramLabel(), description(parameter))));
    return text.toString();
  }

  private static String options(CommandSpec spec) {
    StringBuilder text = new StringBuilder();
    Stream.concat(spec.options().stream().filter(option -> !isStandard(option)),
        spec.options().stream().filter(HelpLayout::isStandard))
        .forEach(option -> text.append(entry(label(option), description(option))));
    return text.toString();
  }

  private static boolean isStandard(OptionSpec option) {
    return option.usageHelp() || option.versionHelp();
  }

  private static String label(OptionSpec option) {
    String names = String.join(", ", option.names());
    if (option.arity().max() == 0) {
      return names;
    }
    String value = option.paramLabel() + (option.splitRegex().isEmpty() ? "" : ",...");
    return option.arity().min() == 0 ? names + "[=" + value + "]" : names + "=" + value;
  }

  private static String description(ArgSpec argument) {
    return String.join(" ", argument.description());
  }

  private static String commands(CommandSpec spec) {
    StringBuilder text = new StringBuilder();
    spec.subcommands().forEach(
        (name, command) -> text.append(entry(name, command.getCommandSpec().usageMessage().description()[0])));
    return text.toString();
  }

  private static String exitCodes(CommandSpec spec) {
    StringBuilder text = new StringBuilder();
    spec.usageMessage().exitCodeList().forEach((code, meaning) -> text.append(entry(code, meaning)));
    return text.toString();
  }

  private static String examples(CommandSpec spec) {
    List<String> lines = HelpExamples.of(spec.qualifiedName());
    String head = lines.size() == 1 ? "Example:" : "Examples:";
    return lines.isEmpty() ? "" : head + "\n  " + String.join("\n  ", lines) + "\n";
  }

  /** Returns a name with a text behind or below it. */
  private static String entry(String name, String text) {
    String begin = "  " + name;
    String column = " ".repeat(INDENT);
    String body = paragraph(text, INDENT);
    return begin.length() <= INDENT - 2
        ? begin + column.substring(begin.length()) + body.substring(INDENT)
        : begin + "\n" + body;
  }

  /** Breaks a text at spaces alone. */
  static String paragraph(String text, int indent) {
    StringBuilder lines = new StringBuilder();
    StringBuilder line = new StringBuilder();
    for (String word : text.split(" ", -1)) {
      if (!line.isEmpty() && indent + line.length() + 1 + word.length() > WIDTH) {
        lines.append(" ".repeat(indent)).append(line).append('\n');
        line.setLength(0);
      }
      line.append(line.isEmpty() ? "" : " ").append(word);
    }
    return lines.append(" ".repeat(indent)).append(line).append('\n').toString();
  }
}

/** The output of a measurement: a table, a file for programs and a page for people. */
@NullMarked
package dev.decant.lab.report;

import org.jspecify.annotations.NullMarked;

from tdebug.pipeline_checks.source_line import source_line


def test_a_line_is_given_without_its_indent(tmp_path):
    file = tmp_path / "code.py"
    file.write_text("def f():\n    return 1\n")

    assert source_line(str(file), 2) == "return 1"
    assert source_line(str(file), 9) is None
    assert source_line(str(file), None) is None


def test_a_line_of_megabytes_is_cut_off(tmp_path):
    file = tmp_path / "generated.py"
    file.write_text("x = '" + "a" * 1_000_000 + "'\n")

    assert len(source_line(str(file), 1)) < 400

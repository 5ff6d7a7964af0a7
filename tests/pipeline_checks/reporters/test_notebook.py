from html.parser import HTMLParser

from tdebug.pipeline_checks.reporters.notebook import render_notebook


class Balance(HTMLParser):
    """Follows the tags, and collects the text."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.text = [], set(), []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def parse(html):
    parser = Balance()
    parser.feed(html)
    assert parser.open == []
    return parser


def test_every_report_is_balanced_html_with_all_findings(named_report):
    _, report = named_report
    text = " ".join(parse(render_notebook(report)).text)
    for finding in report.findings:
        assert f"{finding.code} {finding.name}" in text


def test_user_text_is_text(make_report):
    parser = parse(render_notebook(make_report("nasty")))
    assert "script" not in parser.tags
    assert "<script>&amp;" in "".join(parser.text)


def test_a_notebook_shows_the_report_by_itself(make_report):
    report = make_report("one_error")
    assert report._repr_html_() == render_notebook(report)


def test_what_is_written_is_what_was_looked_at(make_report, check_snapshot):
    html = render_notebook(make_report("everything"))
    check_snapshot(html.replace("><", ">\n<"), "notebook_everything.html")
    assert html.count("labels-out-of-range") == 1
